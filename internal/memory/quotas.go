package memory

// DefaultQuotas are the bounds of page 3.5.
func DefaultQuotas() Quotas {
	return Quotas{ProposalsPerRun: 20, PendingPerPull: 20, PendingPerRepo: 200, ActivePerRepo: 2000}
}

// WithDefaults returns q with the default in place of every bound that is not
// positive. ProposedInThisRun is a count, not a bound, and stays.
func (q Quotas) WithDefaults() Quotas {
	d := DefaultQuotas()
	return Quotas{
		ProposalsPerRun:   positiveOr(q.ProposalsPerRun, d.ProposalsPerRun),
		PendingPerPull:    positiveOr(q.PendingPerPull, d.PendingPerPull),
		PendingPerRepo:    positiveOr(q.PendingPerRepo, d.PendingPerRepo),
		ActivePerRepo:     positiveOr(q.ActivePerRepo, d.ActivePerRepo),
		ProposedInThisRun: max(q.ProposedInThisRun, 0),
	}
}

func positiveOr(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}
