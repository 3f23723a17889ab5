// Registers for the events that EVENTS names.
export default function (pi: any) {
	for (const event of JSON.parse(process.env.EVENTS!)) pi.on(event, () => {});
}
