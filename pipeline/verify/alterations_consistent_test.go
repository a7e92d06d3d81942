package verify_test

var consistent []alteration
