import {noun} from '../../src/command/command.ts';
import show from './credits-show.ts';
import unlimit from './credits-unlimit.ts';

export default noun({name: 'credits', summary: 'Credits of the organization', verbs: [show, unlimit]});
