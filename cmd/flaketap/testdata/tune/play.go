// This program plays the test of the file job.test.js that it is given, with the sleep that stands there, so that a run
// takes little more than that.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"
)

func main() {
	if err := play(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func play() error {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	pause, err := time.ParseDuration(regexp.MustCompile(`await sleep\((\d+)\)`).FindStringSubmatch(string(text))[1] + "ms")
	if err != nil {
		return err
	}
	api := os.Getenv("FLAKETAP_URL")
	var made struct{ ID string }
	if err := answered(http.Post(api+"/jobs", "application/json", strings.NewReader(`{"of":"tea"}`)))(&made); err != nil {
		return err
	}
	time.Sleep(pause)
	var job struct{ State string }
	if err := answered(http.Get(api + "/jobs/" + made.ID))(&job); err != nil {
		return err
	}
	if job.State != "done" {
		return fmt.Errorf("the job is %s", job.State)
	}
	return nil
}

// answered reads an answer that says yes.
func answered(res *http.Response, err error) func(any) error {
	return func(to any) error {
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if res.StatusCode >= 300 {
			return fmt.Errorf("answered %s", res.Status)
		}
		return json.NewDecoder(res.Body).Decode(to)
	}
}
