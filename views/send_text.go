package views

// bodyHint says which markup the text of an announcement may have.
func (p *Send) bodyHint() string {
	if p.PictureHosts == "" {
		return p.Text.T("send.body_hint")
	}
	return p.Text.F("send.body_hint_pictures", "Hosts", p.PictureHosts)
}

// markups lists the kinds of markup that have a button.
func (p *Send) markups() []string {
	kinds := []string{"bold", "italic", "link", "list"}
	if p.PictureHosts != "" {
		kinds = append(kinds, "picture")
	}
	return kinds
}
