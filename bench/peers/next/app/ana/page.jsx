import { Header, Side } from '../../../step/Frame.jsx'
import { Wizard } from './Wizard.jsx'

/** Static parts stay on the server; only the wizard is sent as a script. */
export default function Page() {
  return (
    <div className="page">
      <Header />
      <Wizard side={<Side />} />
    </div>
  )
}
