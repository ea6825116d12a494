import type {Entry} from '../src/command/context.ts';
import apiKey from './api-key/api-key.ts';
import approvals from './approvals/approvals.ts';
import assessment from './assessment/assessment.ts';
import bg from './bg/bg.ts';
import budget from './budget.ts';
import clear from './clear.ts';
import compact from './compact/compact.ts';
import completion from './completion.ts';
import config from './config/config.ts';
import connect from './connect.ts';
import context from './context.ts';
import copy from './copy/copy.ts';
import credits from './credits/credits.ts';
import diff from './diff.ts';
import doctor from './doctor.ts';
import effort from './effort.ts';
import environment from './env/env.ts';
import evaluation from './eval/eval.ts';
import exportSession from './export.ts';
import finding from './finding/finding.ts';
import fork from './fork.ts';
import help from './help.ts';
import init from './init.ts';
import item from './item/item.ts';
import jobs from './jobs/jobs.ts';
import keys from './keys/keys.ts';
import keysHelp from './keys-help/keys-help.ts';
import login from './login.ts';
import logout from './logout.ts';
import logs from './logs/logs.ts';
import mcp from './mcp/mcp.ts';
import memory from './memory/memory.ts';
import mfa from './mfa/mfa.ts';
import model from './model/model.ts';
import newSession from './new.ts';
import openapi from './openapi.ts';
import org from './org/org.ts';
import pin from './pin/pin.ts';
import plan from './plan.ts';
import profile from './profile/profile.ts';
import project from './project/project.ts';
import quit from './quit.ts';
import rename from './rename.ts';
import replay from './replay/replay.ts';
import resume from './resume.ts';
import rewind from './rewind.ts';
import run from './run/run.ts';
import runtime from './runtime/runtime.ts';
import serve from './serve/serve.ts';
import session from './session/session.ts';
import sessions from './sessions.ts';
import settings from './settings/settings.ts';
import skills from './skills/skills.ts';
import theme from './theme/theme.ts';
import trace from './trace/trace.ts';
import traces from './traces/traces.ts';
import trust from './trust/trust.ts';
import undo from './undo.ts';
import usage from './usage/usage.ts';
import vim from './vim/vim.ts';
import watch from './watch/watch.ts';
import whoami from './whoami.ts';
import workspace from './workspace/workspace.ts';

/** All commands, in the order in which help and completion show them. */
export const commands: readonly Entry[] = [
	login,
	logout,
	whoami,
	connect,
	profile,
	keys,
	apiKey,
	mfa,
	model,
	effort,
	newSession,
	bg,
	sessions,
	resume,
	rename,
	diff,
	doctor,
	undo,
	rewind,
	fork,
	exportSession,
	replay,
	copy,
	context,
	compact,
	pin,
	usage,
	budget,
	approvals,
	plan,
	trust,
	memory,
	init,
	config,
	settings,
	session,
	runtime,
	environment,
	logs,
	watch,
	jobs,
	mcp,
	skills,
	run,
	item,
	evaluation,
	assessment,
	finding,
	trace,
	traces,
	credits,
	org,
	workspace,
	project,
	openapi,
	theme,
	clear,
	help,
	keysHelp,
	vim,
	completion,
	quit,
	serve,
];
