// What the formats have and the SDKs' types have not, or the other way round. `adjust` makes a body fit in one point and says
// whether it was necessary; a row that never is fails the test.

/** Removes a field from each of some objects. */
const without = (objects, name) =>
	objects.filter((object) => {
		const had = name in object;
		delete object[name];
		return had;
	}).length > 0;

export const UNTYPED = {
	"openai-completions": [
		{ reason: "reasoning of compatible servers, which OpenAI has only in Responses", adjust: ({ messages }) => without(messages, "reasoning_content") },
	],
	"mistral-conversations": [
		{ reason: "younger than the SDK", adjust: (body) => without([body], "prompt_cache_key") },
		{
			reason: "optional for the interface; the SDK fills it in before it sends",
			adjust({ messages }) {
				const thoughts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter((part) => part.type === "thinking" && !("closed" in part));
				for (const thought of thoughts) thought.closed = true;
				return thoughts.length > 0;
			},
		},
	],
};
