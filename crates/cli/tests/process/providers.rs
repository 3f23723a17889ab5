//! Model providers that are written in JavaScript.

use crate::support::Place;

#[test]
fn handlers_see_requests_of_providers_in_javascript() {
    let provider = "import { createAssistantMessageEventStream } from '@earendil-works/pi-ai';
export default (pi) => {
  const model = { id: 'm', name: 'M', reasoning: false, input: ['text'], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 1000, maxTokens: 100 };
  const answer = async (stream, model, options) => {
    const payload = await options.onPayload({ said: 'hi' }, model);
    await options.onResponse({ status: 201, headers: { a: 'b' } }, model);
    await options.onProviderStreamEvent({ part: 1 }, model);
    const text = JSON.stringify([payload, options.headers]);
    stream.push({ type: 'done', reason: 'stop', message: { role: 'assistant', content: [{ type: 'text', text }], stopReason: 'stop' } });
  };
  const streamSimple = (model, context, options) => {
    const stream = createAssistantMessageEventStream();
    answer(stream, model, options);
    return stream;
  };
  pi.registerProvider('own', { baseUrl: 'http://own', apiKey: 'key', api: 'own-api', headers: { 'X-Own': '1', 'X-Gone': '2' }, models: [model], streamSimple });
};";
    let watching = "import { appendFileSync } from 'node:fs';
const see = (seen) => appendFileSync('seen', JSON.stringify(seen) + '\\n');
export default (pi) => {
  pi.on('before_provider_headers', ({ headers }) => { headers['x-more'] = '3'; headers['x-gone'] = null; });
  pi.on('before_provider_request', ({ payload }) => ({ ...payload, changed: true }));
  pi.on('after_provider_response', ({ status, headers }) => see([status, headers]));
  pi.on('provider_stream_event', ({ provider, model, data }) => see([provider, model, data]));
};";
    let place = Place::new();
    place.write("agent/extensions/own.ts", provider);
    place.write("agent/extensions/watching.ts", watching);
    let done = place.tau(["--model", "own/m", "-p", "Hi"]).run();
    let expected = "[{\"said\":\"hi\",\"changed\":true},{\"x-more\":\"3\",\"x-own\":\"1\"}]\n";
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), expected), "{}", done.stderr);
    assert_eq!(place.read("work/seen"), "[201,{\"a\":\"b\"}]\n[\"own\",\"m\",{\"part\":1}]\n");
}
