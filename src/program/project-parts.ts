import {createHooks, type Hooks} from '../agent/hooks.ts';
import {hooksInEffect} from '../agent/project/effects.ts';
import {instructionText} from '../agent/project/instruction-text.ts';
import {createNestedInstructions} from '../agent/project/nested.ts';
import {inEffect} from '../agent/project/project.ts';
import type {CommandSession} from '../agent/tools/command/command-session.ts';
import type {StartGate} from '../agent/unseen/start-gate.ts';
import {type CapLimits, capNames, caps, limitsBy} from '../core/caps.ts';
import {once} from '../core/once.ts';
import type {Tool} from '../core/session/tool.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';
import {createSkillParts} from './skill-parts.ts';

/** What the agent takes from the files of the user and of a trusted project. */
export type AgentProject = {
	/** Adds the instructions of folders below to what the model reads of their files. */
	readonly withNested: (tool: Tool) => Tool;
	/** Returns the text of the instruction files in effect. */
	readonly instructionFiles: () => Promise<string>;
	readonly skillList: () => Promise<string | undefined>;
	/** Returns the instruction files in effect, and the names of skills. */
	readonly instructions: () => Promise<string | undefined>;
	readonly skillTools: () => Promise<readonly Tool[]>;
	/** Returns the share of the context window at which the conversation is compacted; that of a project wins. */
	readonly compactionShare: () => Promise<number | undefined>;
	/** Returns the caps of a run: those of the user, lower ones of a project in their place. */
	readonly capLimits: () => Promise<CapLimits>;
	/** Loads the hooks of a run: they run in the sandbox of the session's commands, or outside if the gate lets them. */
	readonly loadHooks: (
		session: string,
		loadCommands: () => Promise<CommandSession>,
		openGate: () => Promise<StartGate>,
	) => Promise<Hooks | undefined>;
};

export function createProjectParts({store, debug}: ProgramOptions, local: LocalState): AgentProject {
	const {home, project, folder, secrets, settings} = local;
	const skills = createSkillParts(local);
	/** What tells the user of a session about files of hooks. */
	const unseen = new Map<
		string,
		(...given: [string, () => Promise<ReadonlySet<string>>]) => Promise<readonly string[]>
	>();
	const instructionFiles = async () => instructionText(inEffect(await project.state()), secrets.hide) ?? '';
	return {
		withNested: createNestedInstructions({
			project,
			session: () => store.getState().transcript.session,
			hide: secrets.hide,
		}),
		instructionFiles,
		skillList: skills.list,
		async instructions() {
			const texts = [await instructionFiles(), await skills.list()];
			return texts.filter(Boolean).join('\n\n') || undefined;
		},
		skillTools: skills.tools,
		async compactionShare() {
			const found = inEffect(await project.state()).flatMap(({settings}) => settings?.fields.compact_at ?? []);
			const last = found.at(-1);
			return typeof last === 'number' ? last / 100 : undefined;
		},
		async capLimits() {
			const files = inEffect(await project.state()).filter(({standing}) => standing !== 'user');
			const own = limitsBy(name => settings.value(caps[name].setting));
			const limits = limitsBy(name => {
				const inFiles = files.map(({settings: file}) => file?.fields[caps[name].setting]);
				return Math.min(own[name], ...inFiles.filter(value => typeof value === 'number'));
			});
			return {...limits, lowered: capNames.filter(name => limits[name] < own[name])};
		},
		async loadHooks(session, loadCommands, openGate) {
			const state = await project.state();
			const hooks = hooksInEffect(state);
			if (hooks.length === 0) {
				return undefined;
			}

			const openOnce = once(openGate);
			return createHooks({
				hooks,
				folder: folder.path(),
				hide: secrets.hideOwn,
				session,
				debug: debug?.write,
				commands: await loadCommands(),
				root: state.root,
				async mayLeave({event, command}, why, signal) {
					const gate = await openOnce();
					const starting = {who: `The ${event} hook “${command}” (${why})`, later: 'send a message'};
					const refused = await gate.whyNot(starting, signal);
					return {refused, notes: gate.takeNotes()};
				},
				async takeUnseen({command}) {
					const [{filesOfHook}, {createUnseenOnce}] = await Promise.all([
						import('../agent/obeyed/hook-orders.ts'),
						import('../agent/unseen/start-gate.ts'),
					]);
					const workspace = folder.path();
					const key = JSON.stringify([session, workspace]);
					const take = unseen.get(key) ?? createUnseenOnce(workspace, home.path);
					unseen.set(key, take);
					return take(command, () => filesOfHook(command, {workspace, homeFolder: folder.home}));
				},
			});
		},
	};
}
