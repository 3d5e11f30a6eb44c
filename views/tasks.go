package views

import "github.com/carillonhq/carillon/views/components"

// Tasks lists the tasks that nobody has, or those that somebody has and has not done.
type Tasks struct {
	Frame
	List
	Tabs      []components.Tab
	Rows      []TaskRow
	NextText  string
	FirstText string
}

// TaskRow is a task in the list.
type TaskRow struct {
	Href, Title, ToBy string
	Sent              Dated
	Late              string // what becomes of it if nobody takes it in time, or what has; empty: nothing
	Overdue           bool   // it is late
	State, StateText  string // who has it
}
