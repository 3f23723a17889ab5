// Keeps what an example sends to the internet on the loopback interface: registers providers, or moves registered ones
// to a base URL (LOOPBACK_PROVIDERS), and replaces hosts that are fetched from (LOOPBACK_HOSTS).
const map = (name: string): [string, any][] => Object.entries(JSON.parse(process.env[name] ?? "{}"));

export default function (pi: any) {
	for (const [provider, config] of map("LOOPBACK_PROVIDERS")) {
		pi.registerProvider(provider, typeof config === "string" ? { baseUrl: config } : config);
	}
	const hosts = map("LOOPBACK_HOSTS");
	const original = globalThis.fetch;
	globalThis.fetch = ((input: any, init?: any) => {
		const host = hosts.find(([prefix]) => String(input).startsWith(prefix));
		return original(host ? String(input).replace(host[0], host[1]) : input, init);
	}) as typeof fetch;
}
