package notifier

import "math"

// GoneNotice is a notice that left an inbox, with its score in the `gone` set: the version of
// the change, plus a fraction that encodes how it left (see Left).
type GoneNotice struct {
	NoticeID int64
	Score    float64
}

// Left describes how a notice left an inbox. The zero value means that the state was not
// recorded, or that the notice was never in the inbox. Crowded: it made room for others, or had been in the archive for too long.
type Left struct{ Unread, Read, Retracted, Crowded bool }

// Fractions of a score that encode Left. The Lua scripts use the same values.
const (
	leftCrowded   = 0.0625
	leftUnread    = 0.125
	leftRead      = 0.25
	leftRetracted = 0.5
)

// GoneScore returns the score of a notice that left in the given version.
func GoneScore(ver int64, l Left) float64 {
	score := float64(ver)
	if l.Crowded {
		score += leftCrowded
	}
	if l.Unread {
		score += leftUnread
	}
	if l.Read {
		score += leftRead
	}
	if l.Retracted {
		score += leftRetracted
	}
	return score
}

// LeftBy decodes how the notice left from a score.
func LeftBy(score float64) Left {
	part := score - math.Floor(score)
	state := math.Mod(part, leftRetracted)
	crowded := math.Mod(state, leftUnread) == leftCrowded
	if crowded {
		state -= leftCrowded
	}
	return Left{Unread: state == leftUnread, Read: state == leftRead, Retracted: part >= leftRetracted, Crowded: crowded}
}
