'use client'

export { Wizard } from '../../../step/Wizard.jsx'
