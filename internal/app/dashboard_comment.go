package app

import "context"

// refreshBoard brings the dashboard up to date where the commands stood in its
// own comments: whoever reads the answer there reads the list above it; and
// where they took a text away, which it shows. Other threads leave it to the
// sweep, which does it by itself.
func (d *dealing) refreshBoard(ctx context.Context) {
	if d.r.Memory == nil || d.r.around != nil || d.f.board.Number == 0 || d.f.board.Number != d.f.number && len(d.erased()) == 0 {
		return
	}
	s := surroundings{repository: d.f.repository, settings: d.f.settings, author: d.f.author, issue: d.f.board, problem: d.f.problem}
	writeDashboard(ctx, d.r, &s, &d.report)
}
