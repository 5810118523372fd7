package accounts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/suite"
)

type AccountSuite struct {
	suite.Suite
	base    string
	client  *http.Client
	account Account
}

type Account struct {
	ID       string    `json:"id"`
	Owner    string    `json:"owner"`
	Balance  int64     `json:"balance"`
	Currency string    `json:"currency"`
	Opened   time.Time `json:"opened"`
	Closed   bool      `json:"closed"`
	Limits   struct {
		Daily   int `json:"daily"`
		Monthly int `json:"monthly"`
	} `json:"limits"`
}

type Movement struct {
	Kind   string `json:"kind"`
	Amount int64  `json:"amount"`
}

func TestAccountSuite(t *testing.T) {
	suite.Run(t, new(AccountSuite))
}

func (s *AccountSuite) SetupSuite() {
	s.base = os.Getenv("ACCOUNTS_URL")
	s.client = &http.Client{Timeout: 10 * time.Second}
}

func (s *AccountSuite) SetupTest() {
	status := s.call(http.MethodPost, "/accounts", map[string]any{"owner": "zoe", "currency": "EUR"}, &s.account)
	s.Require().Equal(http.StatusCreated, status)
}

func (s *AccountSuite) TearDownTest() {
	s.call(http.MethodDelete, "/accounts/"+s.account.ID, nil, nil)
}

func (s *AccountSuite) call(method, path string, in, out any) int {
	var body bytes.Buffer
	if in != nil {
		s.Require().NoError(json.NewEncoder(&body).Encode(in))
	}
	req, err := http.NewRequest(method, s.base+path, &body)
	s.Require().NoError(err)
	res, err := s.client.Do(req)
	s.Require().NoError(err)
	defer res.Body.Close()
	if out != nil {
		s.Require().NoError(json.NewDecoder(res.Body).Decode(out))
	}
	return res.StatusCode
}

func (s *AccountSuite) TestOpened() {
	s.Equal("zoe", s.account.Owner)
	s.Equal("EUR", s.account.Currency)
	s.Zero(s.account.Balance)
	s.NotEmpty(s.account.ID)
	s.False(s.account.Closed)
	s.Equal(500, s.account.Limits.Daily)
	s.WithinDuration(time.Now(), s.account.Opened, time.Minute)
}

func (s *AccountSuite) TestDeposit() {
	var got Account
	status := s.call(http.MethodPost, "/accounts/"+s.account.ID+"/deposits", map[string]any{"amount": 120}, &got)
	s.Equal(http.StatusOK, status)
	s.Equal(int64(120), got.Balance)
	s.EqualValues(120, got.Balance)
	s.Equal(s.account.ID, got.ID)
	s.Assert().Equal(s.account.Opened, got.Opened)
}

func (s *AccountSuite) TestHistory() {
	path := fmt.Sprintf("/accounts/%s", s.account.ID)
	s.call(http.MethodPost, path+"/deposits", map[string]any{"amount": 120}, nil)
	s.call(http.MethodPost, path+"/withdrawals", map[string]any{"amount": 20}, nil)

	var history []Movement
	s.Require().Equal(200, s.call(http.MethodGet, path+"/history", nil, &history))
	s.Require().Len(history, 2)
	s.Equal("deposit", history[0].Kind)
	s.Equal(Movement{Kind: "withdrawal", Amount: 20}, history[1])
	s.Equal([]Movement{{"deposit", 120}, {"withdrawal", 20}}, history)
}

func (s *AccountSuite) TestOverdraw() {
	var failure struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	status := s.call(http.MethodPost, "/accounts/"+s.account.ID+"/withdrawals", map[string]any{"amount": 501}, &failure)
	s.Equal(http.StatusConflict, status)
	s.Equal("LIMIT", failure.Error.Code)
	s.Contains(failure.Error.Message, "daily limit")
	s.Regexp(`limit is \d+`, failure.Error.Message)
}

func (s *AccountSuite) TestUnknown() {
	res, err := s.client.Get(s.base + "/accounts/none")
	s.Require().NoError(err)
	defer res.Body.Close()
	s.Equal(404, res.StatusCode)
	s.Equal("application/json", res.Header.Get("Content-Type"))
	var e map[string]string
	s.NoError(json.NewDecoder(res.Body).Decode(&e))
	s.Equal(map[string]string{"error": "no such account"}, e)
	s.Len(e, 1)
}
