package notifier

// ValidName reports whether a user or role can have the name: 1 to MaxName bytes of UTF-8
// without forbidden characters (see badRune). Names are stored unchanged: case and spaces
// are significant.
func ValidName(name string) bool {
	if name == "" || len(name) > MaxName {
		return false
	}
	_, found := badRune(name, "")
	return !found
}
