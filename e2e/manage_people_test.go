package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestStaffManageAPerson runs with and without scripts: the pages are plain forms.
func TestStaffManageAPerson(t *testing.T) {
	t.Parallel()
	w, i := officeDesk(t)
	bob := open(t, i).size(1280, 900).as(i.person(t, "bob"))
	bob.visit("/inbox").has("h1", "Inbox")
	for _, script := range []bool{true, false} {
		if !script {
			w.withoutScript()
		}
		w.visit("/staff/users").clickOn(`[data-testid=new] summary`)
		name := "erin"
		if script {
			name = "dave"
			w.until(`document.activeElement.id === "name"`).types(name)
		} else {
			w.fill("name", name)
		}
		w.press(`[data-testid=person-form] button[type=submit]`)
		w.has("h1", name).has("#done p", "Added. They can receive notifications now.")
		file := filepath.Join(t.TempDir(), "people.csv")
		if err := os.WriteFile(file, []byte("name,audience\nfrom-file-"+name+",user\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		w.visit("/staff/users").clickOn(`[data-testid=new] summary`).press(`[data-testid=person-form] a`)
		w.do(chromedp.SetUploadFiles(css("#file"), []string{file}))
		w.press(`[data-testid=import-form] button`)
		w.has("#done p", "Everybody in the file has been added.").has("[data-testid=user] th bdi", "from-file-"+name)
		w.visit("/staff/users").press(`[data-testid=user] th a[href$="/bob"]`)
		w.has("h1", "bob").picks("role", "staff")
		w.press(`[data-testid=add] button`)
		w.has("#done p", "Added to the group.").until(`document.querySelectorAll("[data-testid=group]").length === 2`)
		w.press(`[data-testid=remove] button`)
		w.has("#done p", "Removed from the group.").until(`document.querySelectorAll("[data-testid=group]").length === 1`)
		w.clickOn(`[data-testid=person-menu] summary`)
		w.press(`[data-testid=sign-out] button`)
		w.has("#done p", "Signed out everywhere.").until(`document.querySelector("[data-testid=history]").textContent.includes("Signed out everywhere by vera")`)
		if script {
			bob.visit("/inbox").until(`location.pathname === "/login"`)
		}
	}
}

// importInVain imports a file that is long enough for its progress to be shown, and whose last line is wrong, so that nobody
// is added.
func importInVain(w *window) {
	w.t.Helper()
	ask[bool](w, `(() => {
		const [files, lines] = [new DataTransfer(), ["name,audience"]];
		for (let i = 0; i < 2500; i++) lines.push("imported" + i + ",user");
		files.items.add(new File([lines.join("\n") + "\nlast,martian\n"], "people.csv", {type: "text/csv"}));
		document.querySelector("#file").files = files.files;
		return true;
	})()`)
	w.press(`[data-testid=import-form] button.primary`)
	w.until(`document.querySelector("[data-testid=import-end] [role=alert], [data-testid=import-end] .banner") && document.querySelectorAll("[data-testid=import-step]").length > 0`)
}
