package policy

import (
	"strconv"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/trust"
)

// TenantFacts are what is known of the tenant (page 3.3).
type TenantFacts struct {
	AppAuth           bool  // acting as a GitHub App
	AppInstallation   int64 // its installation on this repository; 0: the look-up failed
	AppFailure        string
	PayloadInstall    int64 // installation.id of the event payload; 0: none
	InputInstallation int64 // the input installation-id; 0: none
	AccountID         int64 // owner account of the repository
	AccountLogin      string
}

// ResolveTenant returns the tenant scope, nil if there is none, and how it was
// found. With App auth only the App's own installation counts: a failed
// look-up is the end, with no fall-through. An id that is given and not
// positive is the end as well.
func ResolveTenant(f TenantFacts) (*contract.TenantScope, trust.Reason) {
	if f.AppAuth && f.AppInstallation <= 0 {
		return nil, trust.Reason{Code: CodeTenantLookup,
			Text: "memory is off because the App's installation on this repository could not be looked up" + because(f.AppFailure)}
	}
	for _, source := range []struct {
		id         int64
		code, text string
	}{
		{f.appInstallation(), CodeTenantApp, "the tenant is the App's installation "},
		{f.PayloadInstall, CodeTenantPayload, "the tenant is the installation of the event, "},
		{f.InputInstallation, CodeTenantInput, "the tenant is the installation of the input installation-id, "},
		{f.AccountID, CodeTenantAccount, "no installation is known, so the owner account stands in as the tenant, id "},
	} {
		if source.id < 0 {
			break
		}
		if source.id > 0 {
			return &contract.TenantScope{InstallationID: source.id, AccountID: f.AccountID, AccountLogin: f.AccountLogin},
				trust.Reason{Code: source.code, Text: source.text + strconv.FormatInt(source.id, 10)}
		}
	}
	return nil, trust.Reason{Code: CodeTenantNotPositive, Text: "memory is off because no positive id names the tenant"}
}

func (f TenantFacts) appInstallation() int64 {
	if f.AppAuth {
		return f.AppInstallation
	}
	return 0
}
