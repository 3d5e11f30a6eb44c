package views

import "github.com/carillonhq/carillon/views/components"

// Questions lists what people were asked: the open questions, or those that have ended.
type Questions struct {
	Frame
	List
	Tabs   []components.Tab
	Export string // the address of the list as a file
	Rows   []QuestionRow
}

// QuestionRow is a question in the list.
type QuestionRow struct {
	Href, Title, ToBy string
	Asked, Ends       Dated  // Ends: when it has ended or will end
	Left              string // the time until it ends; empty: it has ended
	State, StateText  string
	Outcome           string   // what it shows first; of an open one the number of answers
	Answers           []string // who chose what, and when, in order
}
