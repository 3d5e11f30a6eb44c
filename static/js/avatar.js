// @ts-check

/** @typedef {{icon?: string, initials?: string, color: string}} Look */

/**
 * Builds the circle of a row: its actor, with the type at the corner, or the type.
 * @param {import("./card.js").Toast} toast
 */
export function avatar({ look = { color: "gray" }, face, actors: [actor] = [{}] }) {
	const shown = face ?? look;
	const circle = document.createElement("span");
	circle.className = `avatar tint-${shown.color}`;
	circle.setAttribute("aria-hidden", "true");
	circle.append(glyph(shown));
	if (!face) return circle;
	circle.classList.add("face");
	if (actor?.image) {
		const image = document.createElement("img");
		[image.alt, image.referrerPolicy, image.src] = ["", "no-referrer", actor.image];
		circle.append(image);
	}
	if (look.icon) {
		const corner = document.createElement("span");
		corner.className = `corner tint-${look.color}`;
		corner.append(glyph(look));
		circle.append(corner);
	}
	return circle;
}

/** @param {Look} look */
function glyph({ icon, initials = "" }) {
	if (!icon) return initials;
	const space = "http://www.w3.org/2000/svg";
	const svg = document.createElementNS(space, "svg");
	const use = document.createElementNS(space, "use");
	svg.setAttribute("class", "icon");
	use.setAttribute("href", `${document.getElementById("popups")?.dataset.icons}#${icon}`);
	svg.append(use);
	return svg;
}
