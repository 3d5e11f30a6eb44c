package views

import "github.com/carillonhq/carillon/views/components"

// Commands lists where a reader can go.
type Commands struct {
	Frame
	Places []components.Tab
}
