// Keeps the messages of one kind from the model, by their role.

export default function (pi: any) {
	pi.on("context", (event: any) => ({ messages: event.messages.filter((message: any) => message.role !== "custom") }));
}
