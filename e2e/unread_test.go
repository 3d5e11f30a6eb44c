package e2e

import (
	"fmt"
	"testing"
)

func TestStaffSeeWhoHasNotReadANoticeToMany(t *testing.T) {
	t.Parallel()
	s := alone(t)
	lines := []string{"vera staff"}
	for i := range 60 {
		lines = append(lines, fmt.Sprintf("picker%02d picker", i))
	}
	s.people(lines...)
	i := s.serve()
	vera := i.person(t, "vera")
	vera.leads("/staff/send", "target", "role", "to_role", "picker", "type", "news", "title", "Hall 3 is closed")
	w := open(t, i).as(vera).visit("/staff/notices/1").until(`document.querySelector("#progress")?.dataset.finished === "true"`)
	i.person(t, "picker07").get("/inbox")
	w.visit("/staff/notices/1").has("[data-testid=figure] strong", "1 of 60 read")
	w.press("[data-testid=see-unread]")
	w.until(`document.querySelectorAll("[data-testid=unread-by] li").length === 50 && !document.body.textContent.includes("picker07")`)
	w.shot("unread-by")
	w.press(".pager [rel=next]")
	w.until(`document.querySelectorAll("[data-testid=unread-by] li").length === 9`)
}
