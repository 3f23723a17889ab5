// Brings a provider whose credentials are refreshed: each time, the access token becomes a letter longer.

export default function (pi) {
	pi.registerProvider("loop-login", {
		name: "Login",
		baseUrl: process.env.LOGIN_ORIGIN,
		api: "anthropic-messages",
		models: [
			{
				id: "m",
				name: "M",
				reasoning: false,
				input: ["text"],
				cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
				contextWindow: 100000,
				maxTokens: 1000,
			},
		],
		oauth: {
			name: "Login",
			login: async () => {
				throw new Error("nobody logs in");
			},
			refreshToken: async (credentials) => ({
				...credentials,
				access: `${credentials.access}x`,
				expires: Date.now() + 3_600_000,
			}),
			getApiKey: ({ access }) => access,
		},
	});
}
