package config

import "strings"

// stepInputs are names of what only the step may give (page 3.1): a file in a
// repository that holds one is trying to run something or to send something
// somewhere. They are matched without regard to case, dashes and underscores,
// in every section.
var stepInputs = map[string]string{
	"command": "exec-command", "commands": "exec-command", "exec": "exec-command", "execcommand": "exec-command",
	"cmd": "exec-command", "args": "exec-command", "arguments": "exec-command", "shell": "exec-command",
	"endpoint": "model-endpoint", "modelendpoint": "model-endpoint", "url": "model-endpoint", "baseurl": "model-endpoint", "host": "model-endpoint",
	"model": "model", "models": "model", "provider": "model-endpoint",
	"key": "model-api-key", "apikey": "model-api-key", "modelapikey": "model-api-key",
	"memorykey": "memory-key", "handoverkey": "handover-key", "appid": "app-id", "appprivatekey": "app-private-key",
	"privatekey": "app-private-key", "token": "github-token", "githubtoken": "github-token", "secret": "memory-key",
	"password": "memory-key", "env": "exec-command", "environment": "exec-command", "installationid": "installation-id",
	"statedir": "state-dir", "operation": "operation", "dryrun": "dry-run", "failon": "fail-on", "image": "exec-command",
}

func stepInput(key string) (string, bool) {
	name, ok := stepInputs[strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(key))]
	return name, ok
}
