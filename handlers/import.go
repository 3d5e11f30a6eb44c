package handlers

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/carillonhq/carillon/internal/usercsv"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
	"github.com/carillonhq/carillon/views"
)

const (
	importPath   = "/staff/import"
	importedPath = usersPath + "?sort=-seq" // lists those who came last first
	// maxImport is the maximum size of an imported file with the rest of its form, in bytes: about 10,000 people, who are added within
	// seconds. Until then no other user can be added or changed, so larger files are for `carillon user import`.
	maxImport = 1 << 20
)

// importForm shows the form for a file of people.
func (h *Handlers) importForm(w http.ResponseWriter, r *http.Request) error {
	return h.page(w, r, http.StatusOK, views.ImportPage(h.importPage(r)))
}

func (h *Handlers) importPage(r *http.Request) *views.Import {
	p := &views.Import{Frame: h.frame(r, "users", "import.title"), Columns: strings.Join(usercsv.Columns(), ", ")}
	for _, a := range h.audiences() {
		p.Audiences = append(p.Audiences, h.givenName(a))
	}
	return p
}

// importPeople adds everybody in a file, or nobody. If that takes more than one step, the page says how far it is.
func (h *Handlers) importPeople(w http.ResponseWriter, r *http.Request) error {
	name, file, err := uploaded(r)
	stream := &importStream{h: h, w: w, r: r, total: bytes.Count(bytes.TrimSpace(file), []byte("\n"))}
	if err == nil {
		stream.page = &views.Importing{Frame: h.frame(r, "users", "import.title"), Back: importPath, List: importedPath}
		err = h.addFile(r, name, file, stream.step)
	}
	if stream.begun {
		stream.end(err)
		return nil
	}
	bad := (*notifier.InvalidError)(nil)
	line := (*store.ImportError)(nil)
	switch {
	case err == nil:
		redirect(w, r, addQuery(importedPath, "people-imported"))
		return nil
	case !errors.As(err, &line) && !errors.As(err, &bad):
		return fmt.Errorf("import users: %w", err)
	}
	p := h.importPage(r)
	p.Faults.Of = map[string]string{"file": h.importFault(r, err)}
	if line == nil {
		p.Faults = faultsOf(p.Text, bad, "file")
	}
	p.Faults.Focus = "file"
	return h.page(w, r, http.StatusUnprocessableEntity, views.ImportPage(p))
}

// importFault describes what is wrong with a file: which line, and what would be right.
func (h *Handlers) importFault(r *http.Request, err error) string {
	text := h.text(r)
	if line := (*store.ImportError)(nil); errors.As(err, &line) {
		return text.F("import.line", "Line", text.Number(int64(line.Line)), "Fault", h.lineFault(r, line.Err))
	}
	return h.lineFault(r, err)
}

// uploaded returns the name and the content of the file in a form.
func uploaded(r *http.Request) (name string, content []byte, err error) {
	if err = r.ParseMultipartForm(maxImport); err != nil { //nolint:gosec // bodyLimit bounds the body
		if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
			return "", nil, notifier.ErrTooLarge
		}
		return "", nil, fmt.Errorf("%w: %w", errMalformed, err)
	}
	if !ownForm(r) {
		return "", nil, errOtherUser
	}
	if fields := len(r.PostForm) + len(r.MultipartForm.File); fields > 2 || fields == 2 && !r.PostForm.Has(views.PageUser) {
		return "", nil, fault("", codeForm, nil)
	}
	file, head, err := r.FormFile("file")
	if err != nil || head.Size == 0 { // a browser sends an empty file if none is chosen
		return "", nil, fault("file", codeNoFile, nil)
	}
	defer file.Close()
	content, err = io.ReadAll(file)
	name = head.Filename // of any length
	return kept(strings.ToValidUTF8(name[:min(len(name), notifier.MaxName)], "")), content, err
}

// Error codes of the form.
const (
	codeNoFile     = "no_file"
	codeBadColumns = "bad_columns" // Known: all columns
	codeNoAudience = "no_audience" // Name; Known: all audiences
)

// addFile adds the people in a file. It returns a *notifier.InvalidError about the file, or a *store.ImportError about one of its lines.
// progress is called with the number of people added so far.
func (h *Handlers) addFile(r *http.Request, name string, content []byte, progress func(done int)) error {
	in, err := usercsv.NewReader(bytes.NewReader(content), h.audienceCalled)
	if err != nil {
		return fault("file", codeBadColumns, map[string]any{"Known": strings.Join(usercsv.Columns(), ", ")})
	}
	_, err = h.People.Import(r.Context(), h.actor(r), name, bytes.Count(content, []byte("\n")), in.Next, progress)
	return err
}

// audienceCalled returns the audience with a name, as it is configured.
func (h *Handlers) audienceCalled(name string) (notifier.Audience, error) {
	if a := h.audienceGiven(name); a > 0 {
		return a, nil
	}
	known := make([]string, len(h.audiences()))
	for i, a := range h.audiences() {
		known[i] = h.givenName(a)
	}
	return 0, fault("audience", codeNoAudience, map[string]any{"Name": name, "Known": strings.Join(known, ", ")})
}

// lineFault describes what is wrong with a line.
func (h *Handlers) lineFault(r *http.Request, err error) string {
	text := h.text(r)
	bad := (*notifier.InvalidError)(nil)
	switch {
	case errors.As(err, &bad):
		var all []string
		for _, f := range bad.Fields {
			all = append(all, f.Field+": "+faultText(text, h.named(text, f)))
		}
		return strings.Join(all, " ")
	case errors.Is(err, notifier.ErrConflict):
		return text.T("import.taken")
	case errors.Is(err, store.ErrTwice):
		return text.T("import.twice")
	case errors.Is(err, notifier.ErrFull):
		return text.T("error." + codeManyPeople)
	case errors.Is(err, csv.ErrFieldCount):
		return text.T("import.fields")
	}
	return text.T("import.unreadable")
}
