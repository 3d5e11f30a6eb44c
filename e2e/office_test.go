package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// officeDesk starts a site with rules and some users, and returns a window of vera, who is staff.
func officeDesk(t *testing.T) (*window, *instance) {
	t.Helper()
	s := alone(t)
	s.people("vera staff", "bob", "paula", "paul")
	s.flags = append(s.flags, "--rules", s.rules(t))
	i := s.serve()
	w := open(t, i).size(1280, 900)
	return w.as(i.person(t, "vera")), i
}

func TestStaffAdministerWithoutJavaScript(t *testing.T) {
	t.Parallel()
	w, _ := officeDesk(t)
	w.withoutScript().visit("/staff/send")
	w.press(`.side a[href$="/staff/users"]`)
	w.press(`.side a[href$="/staff/roles"]`)
	w.clickOn(`.adding summary`).fill("role", "night shift")
	w.press(`[data-testid=role-form] button`)
	w.has("h1", "Group night shift").has("#done p", "The group has been created.")
	w.fill("user", "bob")
	w.press(`[data-testid=member-form] button`)
	w.has("#done p", "Added to the group.").has("[data-testid=members]", "1 person")
	w.press(`[data-testid=member] button`)
	w.has("#done p", "bob is no longer in the group.").has("[data-testid=members]", "0 people")
	w.press(`#done button`)
	w.has("[data-testid=members]", "1 person")

	w.press(`.side a[href$="/staff/subscriptions"]`)
	w.clickOn(`.adding summary`)
	w.fill("type", "rep_notice")
	w.fill("scope", "119240")
	w.picks("role", "night shift").fill("user", "paul")
	w.press(`.adding button.primary`)
	w.has("#user-fault", "Enter a person or a group, not both.").
		until(`document.querySelector("[name=scope]").value === "119240" && document.querySelector("[name=role]").value === "night shift"`)
	w.do(chromedp.Clear(css("#user")))
	w.press(`.adding button.primary`)
	w.has("#done p", "Added. They'll get what comes from now on.").until(`document.querySelectorAll("[data-testid=subscription]").length === 1`)

	w.press(`.side a[href$="/staff/types"]`)
	w.press(`[data-testid=type] th a`)
	w.do(chromedp.SendKeys(css("#name-en"), "Replenishment"))
	w.press(`[data-testid=type-form] .primary`)
	w.has("#done p", "The category has been saved.").has("[data-testid=type] th a", "Replenishment")

	w.press(`.side a[href$="/staff/rules"]`)
	w.press(`[data-testid=rule] button`)
	w.until(`document.querySelector("[data-testid=state]").textContent === "OK"`).has("#done p", "The rule has been started.")

	w.press(`.side a[href$="/staff/keys"]`)
	w.clickOn(`.adding summary`)
	w.fill("name", "shop")
	w.clickOn(`[name=scope][value=send]`)
	w.press(`.adding button.primary`)
	w.until(`/^ck_[0-9A-Za-z_-]{43}$/.test(` + textOf("[data-testid=new-key]") + `)`)
	w.shot("office-key")
	w.press(`[data-testid=key] .act a`)
	w.press(`[data-testid=revoke] button`)
	w.has("#done p", "The key has been revoked.").until(`document.querySelector("[data-testid=key][data-revoked]")`)
	if strings.Contains(ask[string](w, `document.documentElement.outerHTML`), "ck_") {
		t.Error("the key is shown again")
	}
}

func TestRemovingALineFocusesTheNextAndUndoRestoresIt(t *testing.T) {
	t.Parallel()
	w, i := officeDesk(t)
	vera := i.person(t, "vera")
	for _, name := range []string{"bob", "paul", "paula"} {
		vera.leads("/staff/roles/staff", "action", "add", "user", name)
	}
	w.visit("/staff/roles/staff?q=a").stays()
	w.do(focusOn(`[aria-label="Remove paul from the group"]`))
	w.types(kb.Enter)
	w.has("#done p", "paul is no longer in the group.").until(`document.querySelectorAll("[data-testid=member]").length === 2`)
	w.until(`document.activeElement.getAttribute("aria-label") === "Remove paula from the group"`)
	w.clickOn(`#done form button`)
	w.has("#done p", "Added to the group.").until(`document.querySelectorAll("[data-testid=member]").length === 3`)
	w.same()
}

func TestAFieldForOneUserCompletesTheirName(t *testing.T) {
	t.Parallel()
	w, _ := officeDesk(t)
	w.visit("/staff/subscriptions?add")
	w.do(chromedp.SendKeys(css("[name=user]"), "pau"))
	w.until(`document.querySelectorAll("#user-names [role=option]").length === 2 && document.querySelector("#user").getAttribute("aria-expanded") === "true"`)
	w.types(kb.ArrowDown).types(kb.Enter)
	w.until(`document.querySelector("#user").value === "paula" && document.querySelector("#user").getAttribute("aria-expanded") === "false"`)
	w.fill("type", "order.late")
	w.press(`.adding button.primary`)
	w.has("[data-testid=subscription] td:nth-child(3)", "paula")
}

func TestANewKeyIsCopiedAndMadeOnce(t *testing.T) {
	t.Parallel()
	w, _ := officeDesk(t)
	w.visit("/staff/keys").clickOn(`.adding summary`)
	w.fill("name", "shop")
	w.clickOn(`[name=scope][value=send]`)
	w.press(`.adding button.primary`)
	key := ask[string](w, textOf("[data-testid=new-key]"))
	w.clickOn("[data-copy]").has("[data-copy]", "Copied").shot("office-key-copied")
	paste := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown, Commands: []string{"paste"}}
	w.do(chromedp.Focus(css("#q")))
	if _, err := chromedp.Call(w.ctx, input.DispatchKeyEvent, paste); err != nil {
		t.Fatal(err)
	}
	w.until(`document.querySelector("#q").value === "` + key + `"`)
	w.visit("/staff/keys")
	ask[bool](w, `(location.reload(), true)`)
	w.until(`!document.querySelector("[data-testid=new-key]") && document.querySelectorAll("[data-testid=key]").length === 1`)
}
