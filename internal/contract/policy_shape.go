package contract

// PolicyShape is how the memory policy is written into a brief (page 3.3).
type PolicyShape string

// The closed set of shapes.
const (
	ShapeNested PolicyShape = "nested"
	ShapeFlat   PolicyShape = "flat" // for runtimes with the shipped adapter schema
)

// FlatPolicy is the flat rendering of a MemoryPolicy. It carries no numeric
// repository id, no refs and no account, so no MemoryPolicy can be made of
// it.
type FlatPolicy struct {
	Enabled          bool          `json:"enabled"`
	InstallationID   int64         `json:"installation_id" wire:"min=0"` // 0: no tenant scope
	Repo             string        `json:"repo"`                         // owner/name; empty: no repository scope
	TrustScope       TrustScope    `json:"trust_scope"`
	ReadScopes       []MemoryScope `json:"read_scopes"`
	WriteScopes      []MemoryScope `json:"write_scopes"`
	ApprovalRequired bool          `json:"approval_required"`
	RetentionDays    *int          `json:"retention_days" wire:"optional,min=0,max=36500"` // nil: no horizon is told
	Denied           []string      `json:"denied,omitempty"`
}

// FlatBrief is a Brief whose policy is flat.
type FlatBrief struct {
	ContractVersion  string         `json:"contract_version" wire:"is=2"`
	Trigger          BriefTrigger   `json:"trigger"`
	Repo             BriefRepo      `json:"repo"`
	Task             Task           `json:"task"`
	Familiar         BriefFamiliar  `json:"familiar"`
	Workspace        Workspace      `json:"workspace"`
	ReviewContext    *ReviewContext `json:"review_context" wire:"optional"`
	AuditInstruction *string        `json:"audit_instruction" wire:"optional"`
	MemoryPolicy     *FlatPolicy    `json:"memory_policy,omitempty"`
}

// Flatten renders a policy flat. A missing tenant or repository scope becomes
// 0 or the empty string, which no enabled policy may carry.
func Flatten(p MemoryPolicy) FlatPolicy {
	f := FlatPolicy{
		Enabled:          p.Enabled,
		TrustScope:       p.TrustScope,
		ReadScopes:       filled(p.ReadScopes),
		WriteScopes:      filled(p.WriteScopes),
		ApprovalRequired: p.ApprovalRequired,
		Denied:           dropped(p.Denied),
	}
	if p.TenantScope != nil {
		f.InstallationID = p.TenantScope.InstallationID
	}
	if p.RepoScope != nil {
		f.Repo = p.RepoScope.Owner + "/" + p.RepoScope.Name
	}
	if days := p.Retention.MaxAgeDays; days != 0 {
		f.RetentionDays = &days
	}
	return f
}

func flattenBrief(b Brief) FlatBrief {
	f := FlatBrief{
		ContractVersion: b.ContractVersion, Trigger: b.Trigger, Repo: b.Repo, Task: b.Task, Familiar: b.Familiar,
		Workspace: b.Workspace, ReviewContext: b.ReviewContext, AuditInstruction: b.AuditInstruction,
	}
	if b.MemoryPolicy != nil {
		policy := Flatten(*b.MemoryPolicy)
		f.MemoryPolicy = &policy
	}
	return f
}
