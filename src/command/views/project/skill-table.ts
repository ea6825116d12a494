import {leftOut, type ProjectState} from '../../../agent/project/project.ts';
import {tokensOf} from '../../../agent/request-usage.ts';
import type {Skill} from '../../../agent/skills/skill.ts';
import {formatCount} from '../../../core/format.ts';
import type {Result} from '../../result.ts';

/** Returns the skills in effect, with the tokens that reading each takes. */
export function skillTable(skills: readonly Skill[], state: ProjectState): Result {
	const unused = leftOut(state).filter(({kind}) => kind === 'skill').length;
	return {
		kind: 'table',
		columns: [{label: 'skill', whole: true}, {label: 'from'}, {label: 'tokens', align: 'right'}, {label: 'use it for'}],
		rows: skills.map(({name, isOwn, body, description}) => [
			name,
			isOwn ? 'you' : 'project',
			formatCount(tokensOf(body)),
			description,
		]),
		empty: 'No skills yet. A skill is a folder with a SKILL.md, in .service/skills or .claude/skills.',
		notes: unused > 0 ? [`${unused} not trusted, so not used: see \`trust\`.`] : [],
		data: skills.map(({name, description, path, isOwn, body}) => ({
			name,
			description,
			path,
			scope: isOwn ? 'user' : 'project',
			tokens: tokensOf(body),
		})),
	};
}
