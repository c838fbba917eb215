package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

func TestTheCostOfAProcessIsWrittenAndItsStatusKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cost.json")
	status, err := run(file, []string{"/bin/sh", "-c", "exit 7"})
	if err != nil || status != 7 {
		t.Fatalf("status %d, %v", status, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var c cost
	if err := json.Unmarshal(data, &c); err != nil || c.MS <= 0 || c.PeakMB <= 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestAProgramThatIsNotThereIsAnError(t *testing.T) {
	if _, err := run(filepath.Join(t.TempDir(), "cost.json"), []string{"/nowhere/program"}); err == nil {
		t.Error("no error")
	}
}
