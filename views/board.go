package views

import "github.com/carillonhq/carillon/views/locale"

// Board is the list of the tasks of a role, for a screen on a wall. It has no frame: nobody is signed in, and nothing leads from it to another page.
type Board struct {
	Text   *locale.Printer
	Assets Assets
	Role   string
	Open   []BoardTask // that nobody has, the oldest first
	Taken  []BoardTask // that somebody has and has not done
	More   bool        // of the open ones there are more
	Rest   bool        // of the taken ones there are more
}

// BoardTask is a task on a board.
type BoardTask struct {
	Title, Since string // Since: how long nobody, or who, has had it
	Datetime     string // since when, by RFC 3339
	Overdue      bool   // nobody took it in time
}
