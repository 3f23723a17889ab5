
for (const button of document.querySelectorAll("button[data-open]")) {
	button.hidden = false;
	button.addEventListener("click", () => {
		const open = button.dataset.open === "true";
		for (const part of document.querySelectorAll("main details")) part.open = open;
	});
}
