package main

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/notifier"
)

// extrasFlags are the parts of notices and announcements beside their texts.
type extrasFlags struct {
	Image    string   `placeholder:"URL" help:"A picture, on one of the hosts of --image-hosts; needs --image-alt."`
	ImageAlt string   `placeholder:"TEXT" help:"What the picture shows."`
	Action   []string `placeholder:"LABEL=LINK" sep:"none" help:"A button, such as Review=/prs/7; at most two."`
	Data     string   `placeholder:"JSON" help:"A JSON object for applications, which is never shown."`
}

// actorFlags are the actor of a notice.
type actorFlags struct {
	Actor      string `placeholder:"NAME" help:"Who did it: rows show their picture or initials."`
	ActorID    string `name:"actor-id" placeholder:"ID" help:"Identifies the actor for applications."`
	ActorImage string `placeholder:"URL" help:"Their picture, on one of the hosts of --image-hosts."`
}

func (f *extrasFlags) extras(bad *config.Faults) (x notifier.Extras) {
	if f.Image != "" || f.ImageAlt != "" {
		x.Image = &notifier.Image{URL: f.Image, Alt: f.ImageAlt}
	}
	for _, text := range f.Action {
		label, link, ok := strings.Cut(text, "=")
		if !ok {
			bad.Add("--action", "%q is not LABEL=LINK, such as Review=/prs/7", text)
		}
		x.Actions = append(x.Actions, notifier.Action{Label: label, Link: link})
	}
	if f.Data != "" {
		x.Data = json.RawMessage(f.Data)
	}
	return x
}

// actor returns nil if none of the flags is given.
func (f *actorFlags) actor() *notifier.RowActor {
	if *f == (actorFlags{}) {
		return nil
	}
	return &notifier.RowActor{ID: f.ActorID, Name: f.Actor, Image: f.ActorImage}
}

// extraFlagOf returns the flag that sets an extra; ok is false for any other field.
func extraFlagOf(field string) (flag string, ok bool) {
	switch field {
	case "actor.name":
		return "--actor", true
	case "actor.id", "actor.image", "image.alt":
		return "--" + strings.ReplaceAll(field, ".", "-"), true
	case "image.url":
		return "--image", true
	case "data":
		return "--data", true
	}
	rest, ok := strings.CutPrefix(field, "actions")
	if !ok {
		return "", false
	}
	if number, _, found := strings.Cut(strings.TrimPrefix(rest, "["), "]"); found {
		if n, err := strconv.Atoi(number); err == nil && n > 0 {
			return "--action (number " + strconv.Itoa(n+1) + ")", true
		}
	}
	return "--action", true
}
