import {noun} from '../../src/command/command.ts';
import list from './finding-list.ts';
import show from './finding-show.ts';

export default noun({name: 'finding', summary: 'Findings of adversarial assessments', verbs: [list, show]});
