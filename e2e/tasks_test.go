package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// Two people see a task on two instances. One takes it, the page of the other follows; what nobody takes goes to a third.
func TestATaskIsTakenInTheRowAndEverybodySeesWhoHasIt(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.people("alice baker", "bob baker", "lea lead", "vera staff")
	one, two := s.serve(), s.serve()
	host := &application{t, one.url, strings.TrimSpace(s.carillon("", "key", "add", "ovens", "--scope", "send"))}
	host.call(http.MethodPost, "/notices", `{"target":{"role":"baker"},"type":"oven","subject":"oven:3","title":"The oven is cold","take":{}}`)
	alice := open(t, one).size(1280, 900).as(one.person(t, "alice"))
	bob := open(t, two).as(two.person(t, "bob"))
	for _, w := range []*window{alice, bob} {
		w.visit("/inbox").stays().titles("The oven is cold").has(".question button", "Take").until(live2)
	}
	alice.settles().shot("inbox-task")
	alice.clickOn(".question button").has("#done p", "It's yours.").until(textOf(".became") + `?.startsWith("You have it since ")`)
	bob.until(textOf(".became") + `?.startsWith("alice has it since ") && !document.querySelector(".question")`).same()
	bob.shot("inbox-task-taken")
	vera := open(t, two).size(1280, 900).as(two.person(t, "vera"))
	vera.visit("/staff/tasks").has(".empty h2", "Nothing waits to be taken")
	vera.visit("/staff/tasks?state=taken").has("[data-testid=task] th a", "The oven is cold").shot("tasks-taken")
	alice.clickOn(`form[action$="/inbox/done"] button`).has("#done p", "Done.")
	bob.until(textOf(".became") + `?.startsWith("Done · alice, ")`).same()
	host.call(http.MethodPost, "/notices", `{"target":{"users":["bob"]},"type":"oven","title":"The oven is open","take":{"within":"1s","else":{"role":"lead"}}}`)
	lea := open(t, one).as(one.person(t, "lea"))
	lea.visit("/inbox").until(`document.querySelector("#list .row, #arrivals:not([hidden])")`)
	lea.visit("/inbox").titles("The oven is open").has(".became", "Nobody took it in time").shot("inbox-task-late")
}

func TestATaskIsTakenWithoutScript(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("bob baker")
	i := s.serve()
	host := &application{t, i.url, strings.TrimSpace(s.carillon("", "key", "add", "ovens", "--scope", "send"))}
	host.call(http.MethodPost, "/notices", `{"target":{"users":["bob"]},"title":"The oven is cold","take":{}}`)
	w := open(t, i).as(i.person(t, "bob"))
	w.withoutScript().visit("/inbox").titles("The oven is cold")
	w.press(".question button")
	w.has("#done p", "It's yours.")
	w.press(`form[action$="/inbox/give-back"] button`)
	w.has("#done p", "Given back.").has(".question button", "Take")
}
