/** The codes of the invented tide gauge: message, cause, remedy. */
export const troubles: readonly (readonly [code: string, problem: string, cause: string, remedy: string])[] =
  [
    [
      "E-101",
      "No supply voltage",
      "Main fuse F1 blown",
      "Replace fuse F1 (2 A) and check the cable for damage",
    ],
    ["E-102", "Supply voltage low", "Battery below 10.8 V", "Charge the battery or replace it"],
    [
      "E-103",
      "Supply voltage high",
      "Charge controller defective",
      "Disconnect the solar panel and replace the controller",
    ],
    [
      "E-104",
      "Solar panel gives no current",
      "Panel covered or cable broken",
      "Clean the panel, then measure the cable",
    ],
    ["E-105", "Battery too cold to charge", "Below -10 degrees Celsius", "Wait; charging resumes by itself"],
    ["E-106", "Clock not set", "Backup cell empty", "Replace cell B2 and set the clock from the menu"],
    ["E-107", "Clock drifts", "No satellite time for 48 hours", "Check the antenna and its connector"],
    ["E-108", "Memory card missing", "Card not inserted", "Insert a card of at least 4 GB"],
    ["E-109", "Memory card full", "Old readings were not removed", "Copy the readings and erase the card"],
    [
      "E-110",
      "Memory card damaged",
      "Card removed while writing",
      "Format the card; replace it if the code returns",
    ],
    ["E-111", "Modem does not answer", "Modem without power", "Switch the modem off and on with key K3"],
    ["E-112", "No network", "Antenna damaged or no coverage", "Check the antenna; try another provider"],
    ["E-113", "SIM card refused", "Wrong PIN", "Enter the PIN in the menu Network"],
    ["E-114", "Server refuses readings", "Account expired", "Renew the account, then send again"],
    ["E-115", "Radar sensor missing", "Sensor cable disconnected", "Connect the cable at terminal X4"],
    ["E-116", "Radar echo weak", "Antenna horn wet or dirty", "Wipe the horn with a soft cloth"],
    [
      "E-117",
      "Float does not move",
      "Barnacles or weed in the stilling well",
      "Flush the stilling well and scrape the float with a wooden spatula",
    ],
    ["E-118", "Float jumps", "Counterweight touches the wall", "Move the pulley until the weight hangs free"],
    ["E-119", "Level out of range", "Datum set wrongly", "Set the datum against the staff gauge"],
    [
      "E-120",
      "Level and radar differ",
      "Well partly blocked",
      "Compare with the staff gauge and flush the well",
    ],
    ["E-121", "Water in the housing", "Seal ring damaged", "Dry the housing and replace seal ring 7"],
    ["E-122", "Housing open", "Door switch not closed", "Close the door; replace switch S1 if needed"],
    ["E-123", "Temperature sensor broken", "Wire cut", "Replace the sensor"],
    ["E-124", "Internal error", "Program fault", "Restart; report the log to the service"],
  ];

export const partsList: readonly (readonly [
  position: string,
  number: string,
  description: string,
  quantity: string,
])[] = [
  ["1", "TG-4410", "Housing with door", "1"],
  ["2", "TG-4411", "Door switch S1", "1"],
  ["3", "TG-4423", "Float, 120 mm", "1"],
  ["4", "TG-4424", "Counterweight", "1"],
  ["5", "TG-4431", "Pulley", "2"],
  ["6", "TG-4440", "Stilling well, 2 m", "1"],
  ["7", "TG-4452", "Seal ring", "2"],
  ["8", "TG-4460", "Fuse F1, 2 A", "5"],
];
