import type {Entry} from '../command/context.ts';
import type {EntrySource} from '../command/entries/entry-source.ts';
import {once} from '../core/once.ts';
import type {Tool} from '../core/session/tool.ts';
import type {LocalState} from './local-state.ts';

/** Creates what the agent and the user take from skills. Nothing of it is loaded before there is one. */
export function createSkillParts({project, secrets, folder, rules}: LocalState) {
	const load = once(() => import('../agent/skills/skill.ts'));
	const skills = async () => {
		const state = await project.state();
		return state.files.some(({kind}) => kind === 'skill') ? (await load()).skillsOf(state) : [];
	};
	const loadTool = once(async () => {
		const {createReadSkill} = await import('../agent/skills/read-skill.ts');
		return createReadSkill({
			skills,
			hide: secrets.hide,
			rules: () => ({folder: folder.path(), entries: rules.list()}),
		});
	});
	return {
		/** Returns the part of the system prompt that names the skills. */
		async list(): Promise<string | undefined> {
			const found = await skills();
			return found.length > 0 ? (await load()).skillList(found, secrets.hide) : undefined;
		},
		/** Returns the tool that reads them, if there are any. */
		async tools(): Promise<readonly Tool[]> {
			return (await skills()).some(({isForModel}) => isForModel) ? [await loadTool()] : [];
		},
	};
}

/** Returns the slash commands of skills. */
export function skillEntries(project: LocalState['project']): EntrySource {
	let entries: readonly Entry[] = [];
	let shown = '';
	return {
		kind: 'skill',
		entries: () => entries,
		async refresh() {
			const state = await project.load();
			const files = state.files.filter(({kind}) => kind === 'skill');
			const key = JSON.stringify(files.map(({path, hash, standing}) => [path, hash, standing]));
			if (key !== shown) {
				const {entriesOf} = await import('./skill-commands.ts');
				shown = key;
				entries = entriesOf(state);
			}
		},
	};
}
