// Command clienttypes writes the types of the clients in clients/ from the OpenAPI document.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/carillonhq/carillon/api"
)

func main() {
	log.SetFlags(0)
	if err := run("clients"); err != nil {
		log.Fatal("clienttypes: ", err)
	}
}

// run writes the types of each language that has them below dir.
func run(dir string) error {
	doc, err := api.Document("")
	if err != nil {
		return err
	}
	types, err := read(doc)
	if err != nil {
		return err
	}
	for file, write := range map[string]func([]object) ([]byte, error){
		"go/types.go":              inGo,
		"python/carillon/types.py": inPython,
		"typescript/src/types.ts":  inTypeScript,
	} {
		text, err := write(types)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil { //nolint:gosec // a source file, which everybody may read
			return err
		}
	}
	return nil
}

// names are the types that clients have, by the name of their schema. Each type follows those that it uses.
func names() [][2]string {
	return [][2]string{
		{"TopicInput", "Topic"},
		{"TargetInput", "Target"},
		{"ActorJSON", "Actor"},
		{"ImageJSON", "Image"},
		{"ActionJSON", "Action"},
		{"MoreJSON", "More"},
		{"TakeInput", "Take"},
		{"NoticeInput", "Notice"},
		{"AcceptedNotice", "Accepted"},
		{"Counts", "Counts"},
		{"NoticeOutput", "NoticeState"},
		{"WhyAnswer", "Why"},
		{"Receiver", "Receiver"},
		{"Rehearsal", "Rehearsal"},
		{"ErrorDetail", "FieldError"},
		{"ErrorModel", "Problem"},
		{"BatchResult", "Result"},
		{"ChoiceInput", "Choice"},
		{"AskInput", "Question"},
		{"AnswerJSON", "Answer"},
		{"AskOutput", "Ask"},
		{"UserBody", "UserChange"},
		{"UserAnswer", "User"},
		{"BadgeAnswer", "Badge"},
	}
}

// read returns the types in the order of names.
func read(doc []byte) ([]object, error) {
	var d struct {
		Components struct {
			Schemas map[string]*schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(doc, &d); err != nil {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	known := map[string]string{"ChoiceJSON": "Choice"} // the same members, all of them present
	for _, n := range names() {
		known[n[0]] = n[1]
	}
	var types []object
	for _, n := range names() {
		s := d.Components.Schemas[n[0]]
		if s == nil {
			return nil, fmt.Errorf("the document has no schema %s", n[0])
		}
		o, err := s.object(n[1], known)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n[0], err)
		}
		types = append(types, o)
	}
	return types, nil
}
