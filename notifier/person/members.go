package person

import (
	"context"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	// MembersAtOnce is the maximum number of users that one call of ChangeMembers changes.
	MembersAtOnce = 500
	// membersStep is the number of users after which a step of ChangeMatching ends.
	membersStep = 4 * MembersAtOnce
	// membersPatience is how long ChangeMatching searches for the next users before its step ends.
	membersPatience = time.Second
)

// ChangeMembers makes users join or leave a role, as GrantRole and RevokeRole do for one: each user who is changed has an
// entry in the audit log. It returns their number; repeating it changes nothing. Unknown users are ignored, and more than
// MembersAtOnce are notifier.ErrTooLarge. The role must exist (notifier.ErrNotFound), and must not be notifier.RoleStaff
// (notifier.ErrConflict), whose members are changed one at a time.
func (p *People) ChangeMembers(ctx context.Context, by notifier.Actor, m notifier.Membership, seqs []int64) (int64, error) {
	if len(seqs) > MembersAtOnce {
		return 0, fmt.Errorf("change the membership of %d users: %w", len(seqs), notifier.ErrTooLarge)
	}
	changed, err := p.changeMembers(ctx, by, m, seqs)
	for _, seq := range changed {
		p.Sessions.Publish(ctx, seq)
	}
	return int64(len(changed)), err
}

// ChangeMatching is ChangeMembers for all users that a query selects, by name. It does one step, of at most membersStep
// users: callers repeat it with Reached as the query's After until that is empty. A step that is repeated changes nothing.
// After an error, the step says what was changed before it. For thousands of users the change reaches open pages and
// other instances within seconds.
func (p *People) ChangeMatching(ctx context.Context, by notifier.Actor, m notifier.Membership, q notifier.UserQuery) (step notifier.MembershipStep, err error) {
	q.Limit, q.Descending, q.ByNewest = MembersAtOnce, false, false
	defer func() {
		if step.Changed > 0 {
			p.Sessions.PublishPending(ctx)
		}
	}()
	for {
		found, reached, err := p.Store.SearchUsers(ctx, q, membersPatience)
		if err != nil {
			return step, err
		}
		seqs := make([]int64, len(found))
		for i := range found {
			seqs[i] = found[i].Seq
		}
		changed, err := p.changeMembers(ctx, by, m, seqs)
		if err != nil {
			return step, err
		}
		step.Looked, step.Changed = step.Looked+int64(len(found)), step.Changed+int64(len(changed))
		if step.Reached = reached; len(found) == MembersAtOnce {
			step.Reached = found[len(found)-1].Name
		}
		if step.Reached == "" || reached != "" || step.Looked >= membersStep {
			return step, nil
		}
		q.After = step.Reached
	}
}

func (p *People) changeMembers(ctx context.Context, by notifier.Actor, m notifier.Membership, seqs []int64) ([]int64, error) {
	if m.Role == notifier.RoleStaff {
		return nil, fmt.Errorf("change many members of the staff: %w", notifier.ErrConflict)
	}
	return p.Store.ChangeMembers(ctx, by, m, seqs)
}
