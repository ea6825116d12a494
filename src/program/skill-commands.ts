import type {ProjectState} from '../agent/project/project.ts';
import {promptText} from '../agent/skills/prompt-file.ts';
import {skillText} from '../agent/skills/read-skill.ts';
import {skillsOf} from '../agent/skills/skill.ts';
import type {Entry} from '../command/context.ts';
import {isEntryName, promptEntry} from '../command/entries/prompt-entry.ts';

/** Returns a slash command for each skill in effect, which sends its instructions. */
export function entriesOf(state: ProjectState): readonly Entry[] {
	return skillsOf(state)
		.filter(({name, isForUser}) => isForUser && isEntryName(name))
		.map(skill =>
			promptEntry({
				name: skill.name,
				summary: `${skill.description.slice(0, 100) || 'Follow this skill'} (${skill.isOwn ? 'your skill' : 'skill of the project'})`,
				hint: skill.argumentHint,
				textFor: typed => skillText({...skill, body: promptText(skill.body, typed)}),
			}),
		);
}
