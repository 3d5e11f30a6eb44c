// The preview of a notice can be seen in the theme that the reader does not have.
const plugin = require("tailwindcss/plugin");
const { variables } = require("./tailwind.config.js");

module.exports = plugin(({ addBase }) => {
	for (const [of, look] of ["light", "dark"].entries()) {
		addBase({ [`.preview-box:has([value=${look}]:checked) .look`]: { "color-scheme": look, ...variables(of) } });
	}
});
