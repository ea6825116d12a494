import * as z from 'zod/mini';
import {parseNewRule, ruleText} from '../src/agent/policy/rules/rule.ts';
import {wholeNumber} from '../src/command/argument-types.ts';
import {command, noun} from '../src/command/command.ts';
import type {Command} from '../src/command/context.ts';
import {AppError} from '../src/core/error.ts';
import {approvalModes} from '../src/core/session/approval.ts';
import {modeEffects} from '../src/store/approval-slice.ts';

/** Returns the command that adds a rule with this effect. A shell has no session, so there it is for the folder. */
function ruleCommand(effect: 'allow' | 'deny'): Command {
	const [verb, done] = effect === 'allow' ? ['Allow', 'Allowed'] : ['Deny', 'Denied'];
	return command({
		name: effect,
		summary: `${verb} what a rule covers, in this folder`,
		args: z.object({rule: z.string(), session: z.optional(z.boolean())}),
		positional: ['rule'],
		rest: true,
		asks: {rule: 'Rule, such as run_command(npm test *):'},
		describe: {rule: 'such as "run_command(npm test *)"', session: 'for this session only, in the app'},
		examples: [`approvals ${effect} "run_command(npm ${effect === 'allow' ? 'test' : 'publish'} *)"`],
		whileRunning: true,

		async run({rule: text, session = false}, {program, ui: {live}}) {
			const rule = parseNewRule(text, effect);
			const source = session && live ? 'session' : 'folder';
			await program.project.approvals.rules.add(rule, source);
			const data = {rule: ruleText(rule), effect, source};
			const {hasIdleStar} = await import('../src/agent/policy/rules/describe-rule.ts');
			const named = rule.pattern?.replace(/\s*\*$/, '');
			const note =
				effect === 'allow' && hasIdleStar(rule)
					? ` It covers “${named}” alone; “${named} **” covers everything that it does.`
					: '';
			return {kind: 'text', text: `${done} ${ruleText(rule)} in this ${source}.${note}`, data};
		},
	});
}

const list = command({
	name: 'list',
	summary: 'Show the approval mode and the rules',
	args: z.object({}),
	whileRunning: true,

	async run(_, {program, ui: {live}}) {
		await program.project.files.state();
		const {approvalsView} = await import('../src/command/views/approvals-view.ts');
		return approvalsView(program.project.approvals.rules.list(), {
			mode: live && program.store.getState().approvalMode,
			folder: program.project.folder.path(),
		});
	},
});

const mode = command({
	name: 'mode',
	summary: 'Select what the agent may do without asking',
	args: z.object({mode: z.enum(approvalModes)}),
	positional: ['mode'],
	describe: {mode: 'ask, edits, plan or all'},
	examples: ['approvals mode plan'],
	whileRunning: true,
	where: 'app',

	run({mode}, {program}) {
		program.store.getState().setApprovalMode(mode);
		// The first all mode in a folder asks.
		const {approvalMode} = program.store.getState();
		return {kind: 'text', text: modeEffects[approvalMode], data: {mode: approvalMode}};
	},
});

const allow = ruleCommand('allow');

const deny = ruleCommand('deny');

const revoke = command({
	name: 'revoke',
	summary: 'Remove a rule',
	args: z.object({number: wholeNumber}),
	positional: ['number'],
	describe: {number: 'its number in the list'},
	examples: ['approvals revoke 1'],
	whileRunning: true,

	async run({number}, {program}) {
		await program.project.files.state();
		const revoked = await program.project.approvals.rules.revoke(number);
		if (!revoked) {
			throw new AppError('not-found', `Rule ${number} not found.`, {hint: 'List them: `approvals`'});
		}

		const rule = ruleText(revoked);
		const {effect, place} = revoked;
		if (place?.source === 'flag') {
			throw new AppError('usage', `Rule ${number} is from the command line: ${rule}.`, {
				hint: 'Start again without that --allow.',
			});
		}

		if (place?.source === 'settings') {
			throw new AppError('usage', `Rule ${number} is from a settings file: ${rule}.`, {
				hint: 'Remove it there: `help hooks`.',
			});
		}

		return {kind: 'text', text: `Removed ${rule}.`, data: {rule, effect, source: place?.source ?? null}};
	},
});

const explain = command({
	name: 'explain',
	summary: 'Explain whether a command or a tool call needs approval',
	args: z.object({act: z.string()}),
	positional: ['act'],
	rest: true,
	describe: {act: 'a shell command, or such as "edit_file(src/a.ts)"'},
	examples: ['approvals explain npm test'],
	whileRunning: true,

	async run({act: text}, {program}) {
		const {actOf, explainAct} = await import('../src/command/views/approvals-view.ts');
		await program.project.files.state();
		const act = actOf(text, program.project.folder.path());
		const verdict = await program.project.approvals.judge(act);
		const said = explainAct(act, verdict, program.store.getState().approvalMode);
		return {kind: 'text', text: said.text, data: {act: text, ...said}};
	},
});

export default noun({
	name: 'approvals',
	summary: 'What the agent may do without asking',
	verbs: [list, mode, allow, deny, revoke, explain],
	fallback: 'list',
});
