package cli

import (
	"crypto/rand"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/familiarhq/familiar/internal/vault"
)

// keygenCommand makes a memory key. It goes to standard output alone, so that
// it can go into a file, and from there into a secret, and is shown nowhere.
func keygenCommand(env Env, common *commonFlags) *cobra.Command {
	return &cobra.Command{
		Use: "keygen", Short: "Make a key that seals the memory of the action",
		Long: `Makes an age identity for the input memory-key. Keep it in a secret of an
environment that only the default branch may use:

  (umask 077; familiar keygen > ../familiar.key)
  gh secret set FAMILIAR_MEMORY_KEY --env familiar < ../familiar.key

GitHub never shows a secret again: move the file to where you keep such things.
Whoever has it can read the memory; without it the memory cannot be opened.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			identity, recipient, err := vault.NewKey(rand.Reader)
			if err != nil {
				return err
			}
			if common.json {
				return env.printJSON(json.MarshalIndent(map[string]string{"identity": identity, "recipient": recipient}, "", "  "))
			}
			fmt.Fprintln(env.Stderr, "public key: "+recipient)
			return env.print(identity + "\n")
		},
	}
}
