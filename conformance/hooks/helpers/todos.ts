// A tool whose results are of the shape that the example of todo lists looks for.
export default function (pi: any) {
	const parameters = { type: "object", properties: { todos: { type: "array" } }, required: ["todos"] };
	const execute = async (_id: string, { todos }: any) => ({
		content: [{ type: "text", text: `${todos.length} todos` }],
		details: { action: "list", todos, nextId: todos.length + 1 },
	});
	pi.registerTool({ name: "todo", label: "Todo", description: "Keeps todos.", parameters, execute });
}
