package cli

// storyAttacks are the named attacks on commands by comment, each by the story
// that it is.
var storyAttacks = map[string]string{
	"a_run_that_is_repeated_brings_nothing_back":               "A32: an old run of a remember, repeated after the forget",
	"three_commands_while_one_run_is_busy":                     "A95: three commands while the group is busy",
	"runs_in_another_order_than_their_comments":                "A96: runs in another order than their comments",
	"a_lesson_that_reads_like_a_command_is_only_text":          "A98: a lesson that reads like a command, quoted back",
	"only_the_owner_forgets_and_an_admin_revokes":              "A102: a forget by somebody who does not own the lesson",
	"a_durable_lesson_is_purged_only_after_it_was_forgotten":   "A103: a purge of a durable lesson that was not forgotten",
	"containers_that_cannot_be_deleted_are_named":              "A103: containers with the text that could not be deleted",
	"a_comment_that_was_edited_commands_nothing":               "A107: an old comment edited into a command",
	"what_is_too_old_or_older_than_the_memory_is_not_taken_up": "A107: comments older than the reach or than the memory",
	"a_lost_command_of_somebody_who_lost_the_permission":       "A36: a lost command of somebody whose role was revoked since",
}
