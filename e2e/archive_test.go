package e2e

import "testing"

func TestNoticesAreArchivedByKeyFoundAndMovedBack(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:5]...)
	w.visit("/inbox").stays()
	all := []string{usual[4].title, usual[3].title, aisle, late, photo}
	w.titles(all...).types("j").types("ee").titles(all[2:]...).has("#done p", "Archived. 2 changes can be undone.").onRow(aisle)
	w.types("z").titles(all[1:]...).onRow(all[1])
	w.clickOn(`a[href$="/inbox?filter=archived"]`).titles(all[0])
	w.at("/inbox?filter=archived")
	w.settles().shot("inbox-archived")
	w.types("jd").titles().has("#done p", "Deleted. 2 changes can be undone.").types("z").titles(all[0]).onRow(all[0])
	w.types("e").titles().has("#done p", "Moved to the inbox. 2 changes can be undone.").types("z").titles(all[0]).onRow(all[0])
	w.types("xd").titles().has("#done p", "Deleted. 2 changes can be undone.").types("z").titles(all[0])
	w.types("jxe").titles().has("#done p", "Moved to the inbox. 2 changes can be undone.").types("z").titles(all[0])
	w.clickOn(`main .row form[action$="/inbox/unarchive"] button`).titles()
	w.until(`document.querySelector(".empty")`)
	w.clickOn(`a[href$="/inbox"].tab`).titles(all...)
	w.same()
}

func TestArchivedElsewhereLeavesThisWindow(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:3]...)
	w.visit("/inbox").stays().until(live)
	w.script(`fetch("inbox/archive", {method: "POST", headers: {"Content-Type": "application/x-www-form-urlencoded"}, body: new URLSearchParams({key: document.querySelector("main .row").dataset.key})})`)
	w.titles(late, photo)
	w.same()
}

// archiveFirst archives the first notice and shows the archive.
func archiveFirst(w *window) {
	w.clickOn(`main .row form[action$="/inbox/archive"] button`).until(`document.querySelector("#done.floating form")`)
	w.visit("/inbox?filter=archived")
}
