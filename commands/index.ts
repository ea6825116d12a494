import type {Entry} from '../src/command/context.ts';
import acp from './acp.ts';
import agent from './agent.ts';
import apiKey from './api-key.ts';
import approvals from './approvals.ts';
import assessment from './assessment.ts';
import attach from './attach.ts';
import bg from './bg.ts';
import budget from './budget.ts';
import clear from './clear.ts';
import compact from './compact.ts';
import completion from './completion.ts';
import config from './config.ts';
import connect from './connect.ts';
import context from './context.ts';
import copy from './copy.ts';
import credits from './credits.ts';
import detach from './detach.ts';
import diff from './diff.ts';
import doctor from './doctor.ts';
import drive from './drive.ts';
import effort from './effort.ts';
import environment from './env.ts';
import evaluation from './eval.ts';
import exportSession from './export.ts';
import finding from './finding.ts';
import fork from './fork.ts';
import handoff from './handoff.ts';
import help from './help.ts';
import host from './host.ts';
import importSessions from './import.ts';
import init from './init.ts';
import item from './item.ts';
import jobs from './jobs.ts';
import keys from './keys.ts';
import keysHelp from './keys-help.ts';
import login from './login.ts';
import logout from './logout.ts';
import logs from './logs.ts';
import mcp from './mcp.ts';
import member from './member.ts';
import memory from './memory.ts';
import mfa from './mfa.ts';
import model from './model.ts';
import newSession from './new.ts';
import openapi from './openapi.ts';
import org from './org.ts';
import pin from './pin.ts';
import plan from './plan.ts';
import profile from './profile.ts';
import project from './project.ts';
import queue from './queue.ts';
import quit from './quit.ts';
import rename from './rename.ts';
import replay from './replay.ts';
import resume from './resume.ts';
import rewind from './rewind.ts';
import run from './run.ts';
import runtime from './runtime.ts';
import serve from './serve.ts';
import session from './session.ts';
import skills from './skills.ts';
import theme from './theme.ts';
import trace from './trace.ts';
import trust from './trust.ts';
import undo from './undo.ts';
import usage from './usage.ts';
import user from './user.ts';
import vim from './vim.ts';
import watch from './watch.ts';
import whoami from './whoami.ts';
import workspace from './workspace.ts';

/** All commands, in the order of the groups of the help, which completion has, too. */
export const commands: readonly Entry[] = [
	newSession,
	session,
	resume,
	rename,
	fork,
	rewind,
	undo,
	diff,
	plan,
	approvals,
	pin,
	copy,
	exportSession,
	importSessions,
	replay,
	queue,
	bg,
	attach,
	detach,
	drive,
	handoff,
	jobs,
	memory,
	init,
	skills,
	mcp,
	trust,
	agent,
	model,
	effort,
	keys,
	usage,
	budget,
	context,
	compact,
	environment,
	logs,
	watch,
	runtime,
	login,
	logout,
	whoami,
	connect,
	profile,
	apiKey,
	mfa,
	org,
	member,
	user,
	workspace,
	project,
	run,
	item,
	evaluation,
	assessment,
	finding,
	trace,
	credits,
	serve,
	openapi,
	acp,
	host,
	config,
	theme,
	vim,
	keysHelp,
	doctor,
	completion,
	clear,
	help,
	quit,
];
