package views

import "github.com/a-h/templ"

// tab is the value of aria-current for a tab.
func tab(current bool) string {
	if current {
		return "page"
	}
	return "false"
}

// input is what ties a field to its hint and its fault.
func (p *Send) input(field string, hinted bool) templ.Attributes {
	return described(field, hinted, p.Faults[field] != "")
}

// described ties a field to the elements FIELD-hint and FIELD-fault, as far as
// they are there.
func described(field string, hinted, wrong bool) templ.Attributes {
	attrs := templ.Attributes{}
	described := ""
	if hinted {
		described = field + "-hint"
	}
	if wrong {
		attrs["aria-invalid"] = "true"
		if described != "" {
			described += " "
		}
		described += field + "-fault"
	}
	if described != "" {
		attrs["aria-describedby"] = described
	}
	return attrs
}
