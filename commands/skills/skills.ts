import {noun} from '../../src/command/command.ts';
import list from './skills-list.ts';

export default noun({
	name: 'skills',
	summary: 'Skills, which tell the agent how to do something',
	verbs: [list],
	fallback: 'list',
});
