
for (const button of document.querySelectorAll("button[data-open]")) {
	button.hidden = false;
	button.addEventListener("click", () => {
		const open = button.dataset.open === "true";
		for (const part of document.querySelectorAll("main details")) part.open = open;
	});
}
// Browsers that print what is folded need none of this.
let folded = [];
addEventListener("beforeprint", () => {
	folded = [...document.querySelectorAll("main details:not([open])")];
	for (const part of folded) part.open = true;
});
addEventListener("afterprint", () => {
	for (const part of folded) part.open = false;
});
