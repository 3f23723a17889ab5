// Runs the example EXAMPLE with its own list of models moved to the loopback interface: MOVED_MODELS has a base URL for
// each backend of the list.
export default async function (pi: any) {
	const example = await import(process.env.EXAMPLE!);
	const moved = JSON.parse(process.env.MOVED_MODELS!);
	for (const model of example.MODELS) model.baseUrl = moved[model.backend];
	return example.default(pi);
}
