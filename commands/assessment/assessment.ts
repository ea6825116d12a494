import {noun} from '../../src/command/command.ts';
import attacks from './assessment-attacks.ts';
import list from './assessment-list.ts';

export default noun({name: 'assessment', summary: 'Adversarial assessments', verbs: [list, attacks]});
