package e2e

import "testing"

func TestATemplateIsSavedUsedAndDeletedWithUndo(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.user("alice", "staff")
	s.user("bob")
	i := s.serve()
	w := sender(t, i)
	w.fillSend("bob", notice{title: "Order 4187 is late", typ: "news", body: "One"})
	w.clickOn(".more-deeds summary").answered(`#send .buttons button[name=template]`)
	w.until(`document.activeElement.id === "template_name" && document.activeElement.value === "Order 4187 is late"`)
	w.fill("template_name", "Late order")
	w.types("\r").has("[data-testid=template-saved] p", "Template “Late order” saved. Manage templates")
	w.until(typedSend + ` === "bob|Order 4187 is late|news|One"`) // it can still be sent

	w.goTo("/staff/send").clickOn("[data-testid=templates] summary")
	w.shot("send-templates")
	w.press("[data-testid=templates] a")
	w.until(typedSend + ` === "bob|Order 4187 is late|news|One" && location.search.startsWith("?template=")`)
	w.press(sendButton)
	w.arrived("Order 4187 is late")

	const rows = `[...document.querySelectorAll("[data-testid=template] th")].map(th => th.textContent.trim()).join()`
	w.goTo("/staff/notices?tab=drafts").until(rows + ` === "Late order"`)
	w.press("[data-testid=template] form button")
	w.has("#done p", "Template deleted.").until(rows + ` === ""`)
	w.clickOn("#done form button")
	w.until(rows + ` === "Late order"`)

	// Also works without JavaScript. The template stays after its use.
	w = open(t, i).signIn("alice").withoutScript().goTo("/staff/notices?tab=drafts")
	w.press("[data-testid=template] .button")
	w.until(typedSend + ` === "bob|Order 4187 is late|news|One"`)
	w.clickOn(".more-deeds summary").press(`#send .buttons button[name=template]`)
	w.until(`document.activeElement.id === "template_name"`)
	w.fill("template_name", "Another")
	w.types("\r").until(`document.querySelector("[data-testid=template-saved]")`)
	w.goTo("/staff/notices?tab=drafts").until(rows + ` === "Another,Late order"`)
	w.press("[data-testid=template] form button")
	w.until(rows + ` === "Late order"`).press("#done form button")
	w.until(rows + ` === "Another,Late order"`)
}
