package artifact

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
)

// backend names the running job to the results service.
type backend struct{ run, job string }

// errToken says nothing of the token itself.
var errToken = errors.New("ACTIONS_RUNTIME_TOKEN is no token of a running job (it has no scope Actions.Results)")

// backendOf reads the two ids from the runtime token's scp claim. The token's
// signature is the service's to check: we only pass on what it says.
func backendOf(token string) (backend, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || len(token) > 64<<10 {
		return backend{}, errToken
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return backend{}, errToken
	}
	var claims struct {
		Scope string `json:"scp"`
	}
	if json.Unmarshal(payload, &claims) != nil {
		return backend{}, errToken
	}
	for _, scope := range strings.Fields(claims.Scope) {
		ids := strings.Split(scope, ":")
		if ids[0] == "Actions.Results" && len(ids) == 3 && ids[1] != "" && ids[2] != "" {
			return backend{run: ids[1], job: ids[2]}, nil
		}
	}
	return backend{}, errToken
}
