package notifier

// ValidName says whether a user or a role can bear the name: 1 to MaxName
// bytes of UTF-8, without what no text of ours may hold. It is kept as it is:
// case and spaces tell names apart.
func ValidName(name string) bool {
	if name == "" || len(name) > MaxName {
		return false
	}
	_, found := badRune(name, "")
	return !found
}
